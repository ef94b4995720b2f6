// Usage of spans, kept as JSON text of names and whole numbers, added up.

/** The usage of a span: of a member (a trace) of a group. */
export interface UsageSums {
  readonly group: string;
  readonly member: string;
  readonly usage: string;
}

type Usage = Readonly<Record<string, number>>;
const read = (text: string): Usage => JSON.parse(text) as Usage; // as the store of spans writes it

/** The sum by name. */
export const sumOf = (texts: readonly string[]): Usage | undefined => {
  const sums = new Map<string, number>();
  for (const text of texts)
    for (const [name, n] of Object.entries(read(text))) sums.set(name, (sums.get(name) ?? 0) + n);
  return sums.size === 0 ? undefined : Object.fromEntries(sums);
};

/** By group: the mean over its members that have any usage. */
export const meansOf = (spans: readonly UsageSums[]): ReadonlyMap<string, Usage> => {
  const groups = new Map<string, { readonly members: Set<string>; readonly texts: string[] }>();
  for (const { group, member, usage } of spans) {
    const found = groups.get(group) ?? { members: new Set(), texts: [] };
    found.members.add(member);
    found.texts.push(usage);
    groups.set(group, found);
  }
  return new Map(
    [...groups].map(([group, { members, texts }]) => [
      group,
      Object.fromEntries(
        Object.entries(sumOf(texts) ?? {}).map(([name, n]) => [name, n / members.size]),
      ),
    ]),
  );
};
