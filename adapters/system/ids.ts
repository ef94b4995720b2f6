import { hash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Ids } from '#ports/ids';

export const systemIds: Ids = {
  next: () => v7(),
  key: () => randomBytes(16).toString('hex'),
  digest: (text) => hash('sha256', text, 'hex'),
};
