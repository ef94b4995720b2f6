// Of a server below a path of its host: pages name addresses as the server knows them, and the browser asks for them there.
import { options } from 'preact';
import { addressIn } from '../pure/address.js';

/** Attributes that hold an address. */
const addressed = ['href', 'src', 'poster', 'action'] as const;

const before = options.vnode;
options.vnode = (node) => {
  before?.(node);
  const { type, props } = node;
  if (typeof type !== 'string') return;
  const given = props as Partial<Record<(typeof addressed)[number], unknown>>; // of an element
  for (const name of addressed) {
    const address = given[name];
    if (typeof address === 'string') given[name] = addressIn(address);
  }
};
