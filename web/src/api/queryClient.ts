import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/client";

/** One cache for all views. Who shows what the live stream changes fetches it again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      // Only a server that cannot be reached or is busy may answer better the second time.
      retry: (count, error) => count < 2 && error instanceof ApiError && (error.code === 0 || error.code === 503),
    },
  },
});
