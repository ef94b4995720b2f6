// Values that nothing else in the server has, and an address at which nobody answers.
import { createHash, randomBytes } from 'node:crypto';
import { neverStored } from '#test/clients/secrets';

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
export const freshKey = (): string => randomBytes(16).toString('hex');
export const freshName = (start: string): string => `${start}-${randomBytes(5).toString('hex')}`;

/** A password that keeps to every rule: no two of its random letters stand beside each other. */
export const freshPassword = (): string =>
  neverStored(`Tulip ${[...randomBytes(6).toString('hex')].join('-')}`);

/** A semantic version that was not given before. */
export const freshVersion = (): string =>
  `9.${randomBytes(3).readUIntBE(0, 3)}.${randomBytes(3).readUIntBE(0, 3)}`;

/** An id in the form that storage makes, of nothing that exists. */
export const unknownId = '01890000-0000-7000-8000-000000000000';

/** An address of this machine at which nobody answers. */
export const nowhere = 'http://127.0.0.1:9/hook';
/** What a server needs to be told to call it. */
export const mayCallNowhere = { ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } as const;
