import { administrationFamily, trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { programAdministration, programOperations } from '#ports/api/programs';
import { Auth } from '#ports/auth';
import { Clock } from '#ports/clock';
import { storageOf } from '#ports/storage/storage';
import type { ShownProgram } from '#ports/pages';
import { disableProgram, endProgram, listPrograms } from './offers.js';

const needs = { storage: storageOf('oauth'), auth: Auth, clock: Clock };
const toRecord = ({ client, workspaces }: ShownProgram) => ({
  clientId: client.id,
  clientName: client.name,
  clientUri: client.clientUri ?? null,
  registeredAt: client.createdAt,
  enabled: client.disabledAt === undefined,
  workspaces: workspaces.map(({ workspaceName, since, usedAt }) => ({
    workspaceName,
    since,
    lastRefreshedAt: usedAt,
  })),
});

export const programsArea = area({
  name: 'programs',
  summary: 'The programs that the caller has allowed access, and how to end that.',
  family: trackingFamily,
  table: programOperations,
  needs,
  handlers: (given) => ({
    listPrograms: async ({ caller }) => ({
      programs: (await listPrograms(given, caller.userId)).map(toRecord),
    }),
    endProgram: async ({ caller, params }) => ({
      ended: await endProgram(given, caller.userId, params.clientId),
    }),
  }),
});

export const programAdministrationArea = area({
  name: 'program-administration',
  summary: 'Programs and what users have allowed them, for administrators of the installation.',
  family: administrationFamily,
  table: programAdministration,
  needs,
  handlers: (given) => ({
    listUserPrograms: async ({ account }) => ({
      programs: (await listPrograms(given, account.id)).map(toRecord),
    }),
    endUserProgram: async ({ account, params }) => ({
      ended: await endProgram(given, account.id, params.clientId),
    }),
    async disableProgram({ params }) {
      await disableProgram(given, params.clientId);
      return {};
    },
  }),
});
