import { Center, Loader } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { Boundary } from "@/parts/Boundary";
import { Oops } from "@/parts/Oops";
import { Shell } from "@/shell/Shell";

// Each view is a chunk of its own: what nobody looks at is not loaded.
const VIEWS = {
  "/": lazy(() => import("@/views/home")),
  "/graph": lazy(() => import("@/views/graph")),
  "/search": lazy(() => import("@/views/search")),
  "/connectors": lazy(() => import("@/views/connectors")),
  "/events": lazy(() => import("@/views/events")),
  "/impact": lazy(() => import("@/views/impact")),
  "/why": lazy(() => import("@/views/why")),
  "/compare": lazy(() => import("@/views/compare")),
};

export function App() {
  return (
    <Shell>
      <Suspense
        fallback={
          <Center h="60vh">
            <Loader aria-label="Loading" />
          </Center>
        }
      >
        <Switch>
          {Object.entries(VIEWS).map(([path, View]) => (
            <Route key={path} path={path}>
              <Boundary>
                <View />
              </Boundary>
            </Route>
          ))}
          <Route>
            <Oops title="There is no such page" what="The address may be mistyped. Search above, or start at Home." />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
