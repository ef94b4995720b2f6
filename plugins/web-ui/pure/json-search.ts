// Where a text stands in a JSON value: in names of members and in what they hold. Pure.

export interface FoundPlace {
  /** Such as `messages[2].content`. */
  readonly path: string;
  readonly value: unknown;
}

interface Waiting extends FoundPlace {
  readonly name: string;
}

const below = (path: string, name: string): string =>
  !/^[A-Za-z_$][\w$]*$/.test(name)
    ? `${path}[${JSON.stringify(name)}]`
    : path === ''
      ? name
      : `${path}.${name}`;

const membersOf = ({ path, value }: FoundPlace): readonly Waiting[] =>
  typeof value !== 'object' || value === null
    ? []
    : Array.isArray(value)
      ? value.map((one: unknown, at) => ({ path: `${path}[${at}]`, name: '', value: one }))
      : Object.entries(value).map(([name, one]) => ({
          path: below(path, name),
          ...{ name, value: one as unknown },
        }));

/** The places in the order in which they stand; gives `undefined` after every so many members, so that whoever asks can rest. */
export function* placesWith(
  value: unknown,
  text: string,
  restAfter = 2000,
): Generator<FoundPlace | undefined> {
  const wanted = text.toLowerCase();
  const holds = (one: unknown): boolean =>
    (typeof one !== 'object' || one === null) && String(one).toLowerCase().includes(wanted);
  const waiting: Waiting[] = [{ path: '', name: '', value }];
  let looked = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (++looked % restAfter === 0) yield undefined;
    if (holds(at.value) || (at.name !== '' && at.name.toLowerCase().includes(wanted)))
      yield { path: at.path, value: at.value };
    for (const one of [...membersOf(at)].reverse()) waiting.push(one);
  }
}
