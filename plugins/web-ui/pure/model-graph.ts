// The graph of a model as a run logged it: a text, or layers where it is JSON in the form of Keras. Pure.
import type { Json } from './media.js';

export interface Layer {
  readonly name: string;
  /** Its class, such as `Dense`. */
  readonly kind: string;
  /** Names of the layers that it comes after. */
  readonly after: readonly string[];
  /** What it was made with, as `units 64, activation relu`. */
  readonly made: string;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const untold = new Set(['name', 'trainable', 'dtype']);
const scalarOf = (value: unknown): string | undefined => {
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number'))
    return value.join(' × ');
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
};
const madeOf = (config: Json): string =>
  Object.entries(config)
    .flatMap(([name, value]) => {
      const says = untold.has(name) ? undefined : scalarOf(value);
      return says === undefined ? [] : [`${name.replaceAll('_', ' ')} ${says}`];
    })
    .join(', ');

/** Names of layers that stand anywhere within what Keras says of the inputs, in their order; each release has nested them otherwise. */
const namesIn = (inbound: unknown, names: ReadonlySet<string>): readonly string[] => {
  const found = new Set<string>();
  const left = [inbound];
  for (let at = 0; at < left.length; at++) {
    const one = left[at];
    if (typeof one === 'string' && names.has(one)) found.add(one);
    else if (typeof one === 'object' && one !== null)
      for (const inside of Object.values(one)) left.push(inside);
  }
  return [...found];
};

/** The layers in their order; nothing where the text is no such JSON. */
export const readLayers = (text: string): readonly Layer[] | undefined => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined; // a text, then
  }
  const config = isObject(json) ? json['config'] : undefined;
  const listed = Array.isArray(config) ? config : isObject(config) ? config['layers'] : undefined;
  if (!Array.isArray(listed)) return undefined;
  const layers = listed.filter(isObject).map((one) => {
    const own = isObject(one['config']) ? one['config'] : {};
    return {
      own,
      kind: String(one['class_name'] ?? ''),
      name: String(one['name'] ?? own['name'] ?? ''),
      inbound: one['inbound_nodes'],
    };
  });
  const names = new Set(layers.map(({ name }) => name));
  return layers.map(({ own, kind, name, inbound }, at) => {
    const before = layers[at - 1];
    return {
      name,
      kind,
      // Layers of a sequence do not say what they come after.
      after:
        inbound !== undefined ? namesIn(inbound, names) : before === undefined ? [] : [before.name],
      made: madeOf(own),
    };
  });
};
