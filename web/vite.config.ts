import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Where `npm run dev` finds the API.
const SERVER = "http://127.0.0.1:5000";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    // Into the Python package: the server finds it there, and so does the wheel.
    outDir: "../headwater/page",
    emptyOutDir: true,
    target: "es2022",
    // The first to know light-dark(), which else is taken apart in a way that Mantine's switch does not reach.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
  },
  worker: { format: "es" },
  server: { proxy: { "/api": SERVER, "/healthz": SERVER, "/metrics": SERVER } },
  // A timing is a figure of the bench, never an assertion: on a busy machine a test may take its time.
  // `css`: theme/states.test.ts reads style sheets too.
  test: { include: ["src/**/*.test.ts"], testTimeout: 60_000, css: true },
});
