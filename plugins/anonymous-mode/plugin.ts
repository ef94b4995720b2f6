// Logging without a key: somebody without an account gets a key, a public project, and a while in which to claim it.
import { pageFamily } from '#ports/api/families/page';
import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { integer, object, optional } from '#ports/api/schema';
import { isFailure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { plugin } from '#ports/plugin';
import { claim, preview } from './claiming.js';
import { expire } from './expiring.js';
import { needs, tables, type AnonymousNeeds } from './needs.js';
import { anonymousOperations, claimPages } from './rows.js';
import { isActive, start } from './starting.js';

const jobEveryMs = 3_600_000;

/** Workspaces that somebody administers, by name. */
const administered = async (
  { operations }: AnonymousNeeds,
  caller: Caller,
): Promise<readonly string[]> => {
  const { workspaceNames } = (await operations.call(
    'listWorkspaces',
    {},
    operations.withRights(caller, {
      everywhere: false,
      roles: new Map([...caller.roles].filter(([, role]) => role === 'admin')),
    }),
  )) as { readonly workspaceNames: readonly string[] }; // that row's reply
  return workspaceNames;
};

export default plugin({
  name: 'anonymous-mode',
  api: 1,
  toggle: { name: 'anonymous-mode', default: false, says: 'Logging without a key, claimed later' },
  settings: object({
    startsPerHour: optional(integer({ minimum: 1 })),
    experiments: optional(integer({ minimum: 1 })),
    storageMb: optional(integer({ minimum: 1 })),
  }),
  needs,
  tables,
  contribute(resolved, settings) {
    const own: AnonymousNeeds = {
      ...resolved,
      limits: {
        startsPerHour: settings.startsPerHour ?? 5,
        experiments: settings.experiments ?? 20,
        storageMb: settings.storageMb ?? 1024,
      },
    };
    return {
      areas: [
        area({
          name: 'anonymous-mode',
          family: trackingFamily,
          table: anonymousOperations,
          needs: {},
          handlers: () => ({
            startAnonymous: ({ source }) => start(own, source),
            isAnonymousActive: async ({ query }) => ({
              active: query.apiKey === undefined ? null : await isActive(own, query.apiKey),
            }),
            claimAnonymous: async ({ body, workspace, caller }) => ({
              projects: await claim(own, {
                token: body.token,
                target: workspace,
                projectName: body.projectName,
                caller,
              }),
            }),
            previewClaim: ({ params }) => preview(own, params.token),
          }),
        }),
        area({
          name: 'anonymous-pages',
          family: pageFamily,
          table: claimPages,
          needs: {},
          handlers: () => ({
            async showClaim({ params: { token }, caller }) {
              try {
                const shown = await preview(own, token);
                const who =
                  caller?.csrf === undefined
                    ? {}
                    : {
                        who: {
                          name: caller.userName,
                          csrf: caller.csrf,
                          workspaces: await administered(own, caller),
                        },
                      };
                return {
                  status: 200,
                  body: { page: 'claim', shows: { token, ...shown, ...who } },
                } as const;
              } catch (thrown) {
                if (!isFailure(thrown) || thrown.kind !== 'absent') throw thrown;
                return {
                  status: 404,
                  body: {
                    page: 'gone',
                    shows: {
                      title: 'Nothing to claim',
                      says: thrown.message,
                      action: { href: '/login', label: 'To sign-in' },
                    },
                  },
                } as const;
              }
            },
            async claimByForm({ params: { token }, workspace, caller }) {
              await claim(own, { token, target: workspace, caller });
              return { secret: true, body: '/account' };
            },
          }),
        }),
      ],
      jobs: [
        {
          name: 'expire',
          everyMs: jobEveryMs,
          run: async (signal) => {
            await expire(own, signal);
          },
        },
      ],
    };
  },
});
