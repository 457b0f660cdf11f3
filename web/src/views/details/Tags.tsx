import { TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import type { ResolvedNode } from "@/api/hooks";
import { ErrorAlert } from "@/parts/ErrorAlert";
import { useTag } from "@/views/details/edits";

interface Props {
  entity: Pick<ResolvedNode, "kind" | "namespace" | "name">;
  tags: string[];
}

/** Tags of a job or dataset; each change is stored at once. */
export function Tags({ entity, tags }: Props) {
  const known = useQuery({
    queryKey: ["tags"],
    queryFn: ({ signal }) => body(api.GET("/api/v1/tags", { params: { query: { limit: 1000 } }, signal })),
  });
  const tag = useTag(entity);
  const change = (after: string[]) => {
    for (const each of after) if (!tags.includes(each)) tag.mutate({ tag: each, on: true });
    for (const each of tags) if (!after.includes(each)) tag.mutate({ tag: each, on: false });
  };
  return (
    <>
      <TagsInput
        label="Tags"
        size="xs"
        placeholder="Add a tag and press Enter"
        value={tags}
        data={known.data?.tags.map((each) => each.name) ?? []}
        onChange={change}
        disabled={tag.isPending}
        comboboxProps={{ withinPortal: false }}
      />
      {tag.isError && <ErrorAlert error={tag.error} />}
    </>
  );
}
