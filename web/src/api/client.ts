import createClient from "openapi-fetch";
import type { ErrorBody, paths } from "@/api/schema";

const client = createClient<paths>({ baseUrl: "/" });

/** An error of the server, or that it could not be reached (`code` 0). */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

interface ApiResponse<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a response; anything else is an ApiError. */
export async function body<T>(request: Promise<ApiResponse<T>>): Promise<T> {
  let response: ApiResponse<T>;
  try {
    response = await request;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "The server does not answer. Is it running?");
  }
  if (response.data !== undefined) return response.data;
  const errorBody = response.error as Partial<ErrorBody> | undefined;
  throw new ApiError(
    response.response.status,
    errorBody?.message ?? `The server answered with status ${response.response.status}.`,
  );
}

export const api = client;
