// System details: how parts that arrive one after the other become one record. Pure.
import { Failure } from '#ports/failure';
import type { LoggedValue } from '#ports/storage/values';

const emptyDetails = {
  user: null,
  pythonVersion: null,
  pythonVersionVerbose: null,
  pid: null,
  osType: null,
  os: null,
  osRelease: null,
  machine: null,
  processor: null,
  ip: null,
  hostname: null,
  env: null,
  gpuStaticInfoList: [],
  logAdditionalSystemInfoList: [],
  maxTotalMemory: null,
  networkInterfaceIps: [],
  command: [],
  executable: null,
  osPackages: [],
  installedPackages: [],
  totalRam: null,
} as const;

type Text = string | null;
/** System details as they are shown, without what is read from elsewhere. */
export interface SystemDetails {
  readonly user: Text;
  readonly pythonVersion: Text;
  readonly pythonVersionVerbose: Text;
  readonly pid: number | null;
  readonly osType: Text;
  readonly os: Text;
  readonly osRelease: Text;
  readonly machine: Text;
  readonly processor: Text;
  readonly ip: Text;
  readonly hostname: Text;
  readonly env: Readonly<Record<string, unknown>> | null;
  readonly gpuStaticInfoList: readonly unknown[];
  readonly logAdditionalSystemInfoList: readonly Readonly<Record<string, unknown>>[];
  readonly maxTotalMemory: number | null;
  readonly networkInterfaceIps: readonly string[];
  readonly command: readonly string[];
  readonly executable: Text;
  readonly osPackages: readonly string[];
  readonly installedPackages: readonly string[];
  readonly totalRam: number | null;
}
export type SentDetails = {
  readonly [K in keyof SystemDetails]?: Exclude<SystemDetails[K], null> | undefined;
};

/** What a stored document says; every member is there. */
export const readDetails = (stored: string | undefined): SystemDetails => ({
  ...emptyDetails,
  ...(stored === undefined ? {} : (JSON.parse(stored) as Partial<SystemDetails>)),
}); // written by `mergeDetails` below

interface GpuMember {
  /** As the API and as the live client call it. */
  readonly names: readonly string[];
  readonly required: boolean;
  readonly fits: (value: unknown) => boolean;
  readonly says: string;
}
const isText = (value: unknown): boolean => typeof value === 'string';
const gpuMembers: readonly GpuMember[] = [
  {
    names: ['gpuIndex', 'gpu_index'],
    required: true,
    fits: Number.isSafeInteger,
    says: 'a whole number',
  },
  { names: ['name'], required: true, fits: isText, says: 'a text' },
  { names: ['uuid'], required: true, fits: isText, says: 'a text' },
  {
    names: ['totalMemory', 'total_memory'],
    required: false,
    fits: Number.isSafeInteger,
    says: 'a whole number of bytes',
  },
  {
    names: ['powerLimit', 'power_limit'],
    required: false,
    fits: Number.isSafeInteger,
    says: 'a whole number of milliwatts',
  },
];

/** Refuses GPUs that a reader could not make sense of. Null stands for what a driver does not tell. */
export const checkGpus = (gpus: readonly Readonly<Record<string, unknown>>[] = []): void => {
  for (const [at, gpu] of gpus.entries())
    for (const { names, required, fits, says } of gpuMembers) {
      const name = names.find((one) => one in gpu);
      const [value, missing] = [
        name === undefined ? undefined : gpu[name],
        name === undefined && required,
      ];
      if (missing || (value !== undefined && value !== null && !fits(value)))
        throw new Failure(
          'invalid',
          `${names[0] ?? ''} of gpuStaticInfoList[${at}] must be ${says}`,
        );
    }
};

const names = Object.keys(emptyDetails) as readonly (keyof SystemDetails)[]; // its members are those of the type

/** The document with what was sent put into it. Additional entries gather by their key. */
export const mergeDetails = (stored: string | undefined, sent: SentDetails): string => {
  const before = readDetails(stored);
  const given = Object.fromEntries(
    names.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])),
  );
  const additional = new Map(
    [...before.logAdditionalSystemInfoList, ...(sent.logAdditionalSystemInfoList ?? [])].map(
      (entry) => [String(entry['key']), entry],
    ),
  );
  return JSON.stringify({
    ...before,
    ...given,
    logAdditionalSystemInfoList: [...additional.values()],
  });
};

/** Details that one can search by: single values, and the command line as it was typed. */
export const toFacts = (sent: SentDetails, now: number): readonly LoggedValue[] =>
  names.flatMap((name) => {
    const value = name === 'command' ? sent.command?.join(' ') : sent[name];
    return typeof value === 'string' || typeof value === 'number'
      ? [
          {
            name,
            context: undefined,
            text: String(value).slice(0, 100_000),
            step: undefined,
            timestamp: now,
          },
        ]
      : [];
  });

/** A fact that a search may ask for, beside what is logged; nothing where it is not told. */
export const note = (
  name: string,
  text: string | null | undefined,
  now: number,
): readonly LoggedValue[] =>
  text === undefined || text === null || text === ''
    ? []
    : [{ name, context: undefined, text: text.slice(0, 100_000), step: undefined, timestamp: now }];

export type GitMetadata = Readonly<
  Record<'user' | 'root' | 'branch' | 'parent' | 'origin', string | null>
>;

export const toGitMetadata = (sent: {
  readonly [K in keyof GitMetadata]?: string | null | undefined;
}): GitMetadata => ({
  user: sent.user ?? null,
  root: sent.root ?? null,
  branch: sent.branch ?? null,
  parent: sent.parent ?? null,
  origin: sent.origin ?? null,
});

/** The last part of a path of any system. */
export const fileNameOf = (path: string): string =>
  path.split(/[/\\]/).findLast((part) => part !== '') ?? path;

export interface CloudDetails {
  readonly provider: string | null;
  readonly metadata: unknown;
}
/** What was set last; nothing of it when nothing was. */
export const readCloud = (stored: string | undefined): CloudDetails =>
  stored === undefined ? { provider: null, metadata: null } : (JSON.parse(stored) as CloudDetails); // written by `setCloudDetails`

export interface Dependency {
  readonly name: string;
  readonly version: string | null;
}
const textOr = <T>(value: unknown, or: T): string | T => (typeof value === 'string' ? value : or);
/** Packages as they were logged; a version that is no text is left out. */
export const readDependencies = (stored: string | undefined): readonly Dependency[] =>
  stored === undefined
    ? []
    : (
        JSON.parse(stored) as readonly { readonly name?: unknown; readonly version?: unknown }[]
      ).map(({ name, version }) => ({ name: textOr(name, ''), version: textOr(version, null) })); // written by `logDependencies`
