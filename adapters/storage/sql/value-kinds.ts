/** What a searchable value is, as its row keeps it. */
export const valueKinds = { metric: 1, parameter: 2, other: 3, tag: 4 } as const;
export type ValueKind = keyof typeof valueKinds;
