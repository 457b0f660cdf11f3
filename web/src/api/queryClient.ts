import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/client";

/** One cache for all views. What the live stream says is fetched anew by those who show it. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      // Only a server that is away or busy may answer better the second time.
      retry: (count, error) => count < 2 && error instanceof ApiError && (error.code === 0 || error.code === 503),
    },
  },
});
