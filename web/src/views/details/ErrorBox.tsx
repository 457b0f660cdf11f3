import { Alert, Text } from "@mantine/core";
import { IconBug } from "@tabler/icons-react";
import { Copyable } from "@/parts/Copyable";
import { Fold } from "@/parts/Fold";
import { facet, text } from "@/parts/facets";
import { cut } from "@/parts/format";
import classes from "@/parts/parts.module.css";

const MESSAGE = 2000;

/** The error that ended a run, with its trace. */
export function ErrorBox({ facets }: { facets: unknown }) {
  const error = facet(facets, "errorMessage");
  const message = text(error, "message");
  if (message === undefined) return null;
  const trace = text(error, "stackTrace");
  return (
    <Alert
      mt="md"
      color="red"
      variant="light"
      icon={<IconBug size={18} />}
      title="The run reported an error"
      styles={{ title: { color: "inherit" } }}
    >
      <Text size="sm" className={classes.free}>
        {cut(message, MESSAGE)}
      </Text>
      {trace !== undefined && (
        <Fold label="Stack trace">
          <Copyable text={trace} label="the stack trace" />
        </Fold>
      )}
    </Alert>
  );
}
