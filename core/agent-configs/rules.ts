// Versions of configurations: their names, their masks, and how they are shown. Pure.
import type { Blueprint, ConfigValue } from '#ports/model/agent-configs';
import { showAuthorship } from '../private-wire/authorship.js';

/** The number in `v3`; `undefined` for a name that no version has. */
export const numberIn = (name: string): number | undefined =>
  /^v[1-9]\d{0,8}$/.test(name) ? Number(name.slice(1)) : undefined;

/** Values of a version under a mask: those of a key that both have are the mask's, which also adds its own. */
export const applyMask = (
  values: readonly ConfigValue[],
  mask: readonly ConfigValue[],
): readonly ConfigValue[] => {
  const over = new Map(mask.map((one) => [one.key, one]));
  const keys = new Set(values.map(({ key }) => key));
  return [
    ...values.map((one) => over.get(one.key) ?? one),
    ...mask.filter(({ key }) => !keys.has(key)),
  ];
};

/** The first key that stands in a list twice. */
export const repeatedKey = (keys: readonly string[]): string | undefined => {
  const seen = new Set<string>();
  return keys.find((key) => seen.size === seen.add(key).size);
};

export const showBlueprint = (one: Blueprint, values: readonly ConfigValue[]) => ({
  id: one.id,
  name: one.number === undefined ? undefined : `v${one.number}`,
  type: one.type,
  description: one.description,
  envs: [...one.environments],
  values: values.map(({ key, value, type, description }) => ({ key, value, type, description })),
  ...showAuthorship(one),
});
