import { Box } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { ApiError } from "@/api/client";
import { ErrorAlert } from "@/parts/ErrorAlert";

interface Props {
  children: ReactNode;
}

/** Catches what breaks while a view is drawn or loaded, so that the rest of the page stays. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(thrown: unknown) {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <Box p="lg">
        {/* A part of the page that failed to load is not loaded again by itself. */}
        <ErrorAlert error={isLoadingError(error) ? unreachable() : error} retry={() => location.reload()} />
      </Box>
    );
  }
}

function isLoadingError(error: Error): boolean {
  return /dynamically imported module|module script failed|preload/i.test(error.message);
}

function unreachable(): ApiError {
  return new ApiError(0, "This view could not be loaded: the server does not answer. Is it running?");
}
