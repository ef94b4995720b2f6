// What clients that ask for a key without an account are told while anonymous mode is off.
import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { operations } from '#ports/api/operation';
import { nullable, flag, object, optional, text } from '#ports/api/schema';
import { saved } from '#ports/api/tracking';
import { Failure } from '#ports/failure';

const both = (path: string) => [`/api/auth${path}`, `/api/rest/v2${path}`] as const;

const table = operations({
  refuseAnonymous: {
    method: 'POST',
    path: both('/anonymous-user'),
    access: { needs: 'public' },
    summary: 'A key for somebody without an account: not here',
    body: object({}),
    replies: { 200: saved({ apiKey: text() }) },
    fails: ['invalid'],
  },
  isAnonymousOff: {
    method: 'GET',
    path: both('/anonymous/is-active'),
    access: { needs: 'public' },
    summary: 'Whether a key is anonymous: none is here',
    query: object({ apiKey: optional(text()) }),
    replies: { 200: object({ active: nullable(flag()) }) },
  },
});

/** Served while the plugin `anonymous-mode` is off. */
export const anonymousOffArea = area({
  name: 'anonymous-off',
  summary: 'What clients are told that log without a key while anonymous mode is off.',
  family: trackingFamily,
  table,
  needs: {},
  handlers: () => ({
    async refuseAnonymous() {
      throw new Failure(
        'invalid',
        'anonymous mode is switched off on this server; ask for an account and log in with its API key',
        { reason: 'anonymousOff' },
      );
    },
    isAnonymousOff: async () => ({ active: null }),
  }),
});
