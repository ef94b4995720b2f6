// Paths into JSON as filters and sort fields name them: `a.b[0]`. Pure.

const step = /\.?([^.[\]"]+)|\[(\d{1,9})\]|\.?\["((?:[^"\\]|\\.)*)"\]/y;
const mostSteps = 64;

export type JsonPath = readonly (string | number)[];

/** The members and indexes that a path walks through; `undefined` for what is no path. */
export const stepsOf = (path: string): JsonPath | undefined => {
  const steps: (string | number)[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (found === null || steps.length === mostSteps) return undefined;
    steps.push(found[2] === undefined ? (found[1] ?? found[3] ?? '') : Number(found[2]));
  }
  return steps.length === 0 ? undefined : steps;
};

/** What a path leads to; `undefined` where it leads nowhere. */
export const valueAlong = (value: unknown, steps: JsonPath): unknown =>
  steps.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? (at as Readonly<Record<string | number, unknown>>)[step] // it has a member of that name
        : undefined,
    value,
  );
