import createClient from "openapi-fetch";
import type { ErrorBody, paths } from "@/api/schema";

const client = createClient<paths>({ baseUrl: "/" });

/** What the server said was wrong, or that it was not there at all (`code` 0). */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer; anything else is an ApiError. */
export async function body<T>(asked: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "The server does not answer. Is it running?");
  }
  if (answer.data !== undefined) return answer.data;
  const told = answer.error as Partial<ErrorBody> | undefined;
  throw new ApiError(
    answer.response.status,
    told?.message ?? `The server answered with status ${answer.response.status}.`,
  );
}

export const api = client;
