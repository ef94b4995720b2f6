import { administrationFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { usageOperations } from '#ports/api/usage';
import type { Download } from '#ports/bytes';
import { Clock } from '#ports/clock';
import type { User } from '#ports/model/identity';
import type { Workspace } from '#ports/model/workspaces';
import { storageOf, type Stores } from '#ports/storage/storage';
import type { Stored, UsageKind, UseCount } from '#ports/storage/usage';
import { csvRow } from '../csv.js';
import { organizationId } from '../directory/offers.js';

const megabyte = 1024 * 1024;
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const atOnce = 1000;

const download = (type: string, fileName: string, text: string): Download => {
  const content = new TextEncoder().encode(text);
  return {
    type,
    fileName,
    size: content.length,
    open: async function* open({ start, end } = { start: 0, end: content.length - 1 }) {
      yield content.subarray(start, end + 1);
    },
  };
};
const json = (name: string, value: unknown): Download =>
  download('application/json', `${name}.json`, JSON.stringify(value));
const csv = (
  name: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: readonly string[],
): Download =>
  download(
    'text/csv; charset=utf-8',
    `${name}.csv`,
    [
      columns,
      ...rows.map((row) =>
        columns.map((column) => row[column] as string | number | boolean | null),
      ),
    ]
      .map(csvRow)
      .join(''),
  ); // rows are made of such cells

const allUsers = async ({ users }: Pick<Stores, 'users'>): Promise<readonly User[]> => {
  const all: User[] = [];
  for (;;) {
    const after = all.at(-1)?.name;
    const some = await users.pageUsers({
      limit: atOnce,
      ...(after === undefined ? {} : { after }),
    });
    all.push(...some);
    if (some.length < atOnce) return all;
  }
};

const megabytes = (bytes: number): number => Math.round((bytes / megabyte) * 1000) / 1000;
const hours = (ms: number): number => Math.round((ms / hourMs) * 1000) / 1000;
const total = (some: readonly Stored[], of: 'experiments' | 'bytes'): number =>
  some.reduce((sum, one) => sum + one[of], 0);
const grouped = <T>(
  all: readonly T[],
  by: (one: T) => string,
): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(by(one), [...(groups.get(by(one)) ?? []), one]);
  return groups;
};

/** How often each kind of use was counted, and when last, for each user or workspace. */
const totals = (counts: readonly UseCount[], by: (one: UseCount) => string | undefined) => {
  const groups = grouped(counts, (one) => `${one.kind} ${by(one) ?? ''}`);
  return (
    of: string,
    kind: UsageKind,
  ): { readonly count: number; readonly lastAt: number } | undefined => {
    const mine = groups.get(`${kind} ${of}`);
    return mine === undefined
      ? undefined
      : {
          count: mine.reduce((sum, one) => sum + one.count, 0),
          lastAt: Math.max(...mine.map((one) => one.lastAt)),
        };
  };
};

/** Those who may log: the others are counted apart. */
const isLicensed = (user: User): boolean => user.kind !== 'guest' && !user.viewOnly;

const userRows = async (
  stores: Pick<Stores, 'usage'>,
  users: readonly User[],
  stored: readonly Stored[],
) => {
  const counts = totals(await stores.usage.listCounts(), (one) => one.userId);
  const byUser = grouped(stored, (one) => one.userId);
  return users.map((user) => {
    const mine = byUser.get(user.id) ?? [];
    const [sdk, ui] = [counts(user.id, 'sdk'), counts(user.id, 'ui')];
    const logged =
      mine.length === 0 ? 0 : mine.reduce((latest, one) => Math.max(latest, one.lastAt), 0);
    const used = Math.max(logged, sdk?.lastAt ?? 0, ui?.lastAt ?? 0);
    return {
      username: user.name,
      email: user.email ?? '',
      created_at: user.createdAt,
      createdAt: user.createdAt,
      deletedAt: null,
      suspended: user.suspendedAt !== undefined,
      lastUsedAt: used === 0 ? null : used,
      experimentCount: total(mine, 'experiments'),
      dataLoggedMb: megabytes(total(mine, 'bytes')),
      uiUsageCount: ui?.count ?? 0,
      uiUsageUpdateTs: ui?.lastAt ?? null,
      sdkUsageCount: sdk?.count ?? 0,
      sdkUsageUpdateTs: sdk?.lastAt ?? null,
      emLastUsedAt: logged === 0 ? null : logged,
      opikSpanCount: 0,
      opikLastUsedAt: null, // no spans are stored
    };
  });
};

const workspaceRow = async (
  stores: Pick<Stores, 'members' | 'projects'>,
  workspace: Workspace,
  stored: readonly Stored[],
  counts: ReturnType<typeof totals>,
) => {
  const byUser = grouped(stored, (one) => one.userId);
  const byProject = grouped(stored, (one) => one.projectId);
  const [members, projects] = await Promise.all([
    stores.members.listMembers(workspace.id),
    stores.projects.listByWorkspace(workspace.id),
  ]);
  const figures = (some: readonly Stored[] = []) => ({
    numberOfExperiments: total(some, 'experiments'),
    totalSizeInMb: megabytes(total(some, 'bytes')),
  });
  return {
    name: workspace.name,
    createdAt: workspace.createdAt,
    numberOfMembers: members.length,
    ...figures(stored),
    sdkUsageCount: counts(workspace.id, 'sdk')?.count ?? 0,
    uiUsageCount: counts(workspace.id, 'ui')?.count ?? 0,
    members: members.map(({ userId, userName, email }) => ({
      userName,
      email: email ?? '',
      ...figures(byUser.get(userId)),
    })),
    projects: projects.map(({ id, name }) => ({ name, ...figures(byProject.get(id)) })),
  };
};

/** A workspace that was deleted has no name any more, and what it used stays used. */
const nameOfDeleted = (id: string): string => `(deleted ${id})`;
const deletedRow = (id: string, stored: readonly Stored[], counts: ReturnType<typeof totals>) => ({
  name: nameOfDeleted(id),
  createdAt: null,
  numberOfMembers: 0,
  numberOfExperiments: total(stored, 'experiments'),
  totalSizeInMb: megabytes(total(stored, 'bytes')),
  sdkUsageCount: counts(id, 'sdk')?.count ?? 0,
  uiUsageCount: counts(id, 'ui')?.count ?? 0,
  members: [],
  projects: [],
});

/** Every workspace that was there before a time, then those deleted since that had stored something. */
const workspaceRows = async (
  stores: Pick<Stores, 'members' | 'projects' | 'usage' | 'workspaces'>,
  stored: readonly Stored[],
  before: number,
) => {
  const byWorkspace = grouped(stored, (one) => one.workspaceId);
  const counts = totals(await stores.usage.listCounts(), (one) => one.workspaceId);
  const all = await stores.workspaces.listAll();
  const there = [];
  for (const one of all)
    if (one.createdAt < before)
      there.push(await workspaceRow(stores, one, byWorkspace.get(one.id) ?? [], counts));
  const known = new Set(all.map(({ id }) => id));
  return [
    ...there,
    ...[...byWorkspace]
      .filter(([id]) => !known.has(id))
      .map(([id, some]) => deletedRow(id, some, counts)),
  ];
};

const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);
/** The first moment after a month. */
const endOf = (month: string): number => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
};

const periodOf = (day: number, units: 'day' | 'week' | 'month'): string => {
  const at = new Date(day * dayMs);
  if (units === 'month') return monthOf(day * dayMs);
  const back = units === 'week' ? (at.getUTCDay() + 6) % 7 : 0; // weeks begin on Monday
  return new Date((day - back) * dayMs).toISOString().slice(0, 10);
};

const usersBlock = async (stores: Pick<Stores, 'usage' | 'users'>, now: number, before: number) => {
  const users = (await allUsers(stores)).filter((user) => user.createdAt < before);
  const stored = await stores.usage.listStored(before);
  const rows = await userRows(stores, users.filter(isLicensed), stored);
  const shared = {
    numberOfUsers: rows.length,
    createdAt: now,
    organizationId: await organizationId(stores),
  };
  return {
    rows,
    stored,
    shared,
    block: {
      licensedUsers: rows,
      viewOnlyUsers: await userRows(
        stores,
        users.filter((user) => user.viewOnly),
        stored,
      ),
      ...shared,
    },
  };
};

export const usageArea = area({
  name: 'usage',
  summary: 'Reports on usage, as CSV or JSON.',
  family: administrationFamily,
  table: usageOperations,
  toggles: {
    'admin-dashboard-download-reports': {
      default: false,
      says: 'Only for pages: they show a button that downloads usage reports; administrators are answered either way',
      since: 'June 2024',
    },
    'usage-chargeback-reports': {
      default: true,
      says: 'Usage and chargeback reports',
      since: 'December 2023',
    },
  },
  needs: {
    storage: storageOf('members', 'projects', 'usage', 'users', 'workspaces'),
    clock: Clock,
  },
  handlers: ({ storage: { stores }, clock }) => ({
    async chargebackReport({ query }) {
      const now = clock.now();
      const month = query.reportMonth ?? monthOf(now);
      const { rows, stored, shared, block } = await usersBlock(stores, now, endOf(month));
      const workspaces =
        query.format !== 'csv' || query.part === 'workspaces'
          ? await workspaceRows(stores, stored, endOf(month))
          : [];
      if (query.format === 'csv' && query.part !== 'workspaces')
        return csv(`users-${month}`, rows, [
          'username',
          'email',
          'createdAt',
          'deletedAt',
          'suspended',
          'lastUsedAt',
          'experimentCount',
          'dataLoggedMb',
          'uiUsageCount',
          'uiUsageUpdateTs',
          'sdkUsageCount',
          'sdkUsageUpdateTs',
          'opikSpanCount',
          'emLastUsedAt',
          'opikLastUsedAt',
        ]);
      if (query.format === 'csv')
        return csv(`workspaces-${month}`, workspaces, [
          'name',
          'createdAt',
          'numberOfMembers',
          'numberOfExperiments',
          'totalSizeInMb',
        ]);
      return json(`chargeback-${month}`, {
        reportDate: month,
        workspaces,
        users: block,
        ...shared,
      });
    },
    async licenseReport() {
      const now = clock.now();
      const { block } = await usersBlock(stores, now, now + 1);
      return json('license', block);
    },
    async usageReport({ query }) {
      const [from, before] = [query.from ?? 0, query.to ?? clock.now()];
      const [daily, users, workspaces] = [
        await stores.usage.listDaily(from, before),
        new Map((await allUsers(stores)).map((one) => [one.id, one.name])),
        new Map((await stores.workspaces.listAll()).map((one) => [one.id, one.name])),
      ];
      const rows = [
        ...grouped(
          daily,
          (one) => `${periodOf(one.day, query.units ?? 'month')} ${one.workspaceId} ${one.userId}`,
        ).values(),
      ]
        .map((some) => {
          const sum = (of: 'experiments' | 'runningMs' | 'gpuMs' | 'bytes') =>
            some.reduce((all, one) => all + one[of], 0);
          const [first] = some;
          return {
            period: periodOf(first?.day ?? 0, query.units ?? 'month'),
            workspace:
              workspaces.get(first?.workspaceId ?? '') ?? nameOfDeleted(first?.workspaceId ?? ''),
            user: users.get(first?.userId ?? '') ?? '',
            experiments: sum('experiments'),
            runningHours: hours(sum('runningMs')),
            gpuHours: hours(sum('gpuMs')),
            dataMb: megabytes(sum('bytes')),
            spans: 0,
            predictions: 0, // none are stored
          };
        })
        .sort((a, b) =>
          a.period + a.workspace + a.user < b.period + b.workspace + b.user ? -1 : 1,
        );
      return query.format === 'csv'
        ? csv('usage', rows, [
            'period',
            'workspace',
            'user',
            'experiments',
            'runningHours',
            'gpuHours',
            'dataMb',
            'spans',
            'predictions',
          ])
        : json('usage', { rows });
    },
  }),
});
