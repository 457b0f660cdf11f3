import { Center, Loader } from "@mantine/core";
import { Suspense } from "react";
import { Route, Switch } from "wouter";
import { AlertBox } from "@/parts/AlertBox";
import { ErrorBoundary } from "@/parts/ErrorBoundary";
import { Shell } from "@/shell/Shell";
import { VIEWS } from "@/views";

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
          {VIEWS.map(({ path, View }) => (
            <Route key={path} path={path}>
              <ErrorBoundary>
                <View />
              </ErrorBoundary>
            </Route>
          ))}
          <Route>
            <AlertBox title="Page not found" advice="Check the address, search above, or start at Home." />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
