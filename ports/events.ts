import type { StatusValue } from './model/registry.js';

/** What every event of a registered model tells. */
interface RegistryEvent {
  /** The triggers of webhooks that it stands for. */
  readonly triggers: readonly string[];
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly registryModelId: string;
  readonly registryModelName: string;
  /** Who did it. */
  readonly userName: string;
  readonly comment: string | null;
}

/** What an event of a registered version tells besides, as the version is afterwards. */
interface VersionEvent extends RegistryEvent {
  readonly registryModelItemId: string;
  readonly version: string;
  readonly stages: readonly string[];
  readonly tags: readonly string[];
  readonly status: string;
  readonly experimentKey: string;
  /** How many files it has. */
  readonly assets: number;
  readonly experimentUrl: string;
  readonly modelUrl: string;
  readonly restApiUrl: string;
  readonly downloadUrl: string;
}

interface StatusEvent extends VersionEvent {
  readonly previousStatus: string;
  readonly previousValue: StatusValue;
  readonly newValue: StatusValue;
}

interface RequestEvent extends StatusEvent {
  readonly requestId: string;
}

/** Every event that there is, by its name, with the detail that comes along. */
export interface DomainEvents {
  /** A workspace is gone, with everything in it: nothing is told of that one by one. Whoever keeps something of it removes that. */
  readonly 'workspace.deleted': {
    readonly workspaceId: string;
    readonly workspaceName: string;
    readonly userName: string;
  };
  /** A project is gone, and its traces with it; its runs too, unless they were moved elsewhere before. */
  readonly 'project.deleted': {
    readonly projectId: string;
    readonly projectName: string;
    readonly workspaceId: string;
    readonly userName: string;
  };
  readonly 'experiment.created': {
    readonly experimentKey: string;
    readonly workspaceId: string;
    readonly projectId: string;
    readonly userName: string;
  };
  /** Members of a workspace were named in a comment, who were not named in it before. */
  readonly 'comments.mentioned': {
    readonly commentId: string;
    readonly workspaceId: string;
    readonly workspaceName: string;
    /** The run that it is about, or the version of a model; one of them is null. */
    readonly experimentKey: string | null;
    readonly registryModelItemId: string | null;
    /** Who wrote it. */
    readonly userName: string;
    readonly mentioned: readonly string[];
    readonly mentionedIds: readonly string[];
    /** All of the comment, as plain text. */
    readonly text: string;
  };
  readonly 'registry.version-created': VersionEvent & {
    readonly addedStages: readonly string[];
    readonly removedStages: readonly string[];
  };
  readonly 'registry.version-deleted': VersionEvent;
  readonly 'registry.stage-changed': VersionEvent & {
    readonly addedStages: readonly string[];
    readonly removedStages: readonly string[];
    readonly previousValue: readonly string[];
    readonly newValue: readonly string[];
  };
  readonly 'registry.status-changed': StatusEvent;
  readonly 'registry.status-requested': RequestEvent;
  readonly 'registry.status-approved': RequestEvent;
  readonly 'registry.status-rejected': RequestEvent;
  readonly 'registry.model-updated': RegistryEvent & {
    readonly previousValue: Readonly<Record<string, unknown>>;
    readonly newValue: Readonly<Record<string, unknown>>;
  };
  readonly 'registry.model-deleted': RegistryEvent & {
    readonly previousValue: Readonly<Record<string, unknown>>;
    readonly newValue: null;
  };
}
export type EventName = keyof DomainEvents;

const names: Readonly<Record<EventName, true>> = {
  'workspace.deleted': true,
  'project.deleted': true,
  'experiment.created': true,
  'comments.mentioned': true,
  'registry.version-created': true,
  'registry.version-deleted': true,
  'registry.stage-changed': true,
  'registry.status-changed': true,
  'registry.status-requested': true,
  'registry.status-approved': true,
  'registry.status-rejected': true,
  'registry.model-updated': true,
  'registry.model-deleted': true,
};
/** Whether events of that name are told. */
export const isEventName = (name: string): name is EventName => Object.hasOwn(names, name);

/** Something that happened, told after it was stored. */
export interface DomainEvent {
  /** Stable over repeated deliveries. */
  readonly id: string;
  /** What it happened to, area first: `experiment:<id>`. */
  readonly subject: string;
  /** Place among the events of its subject, from 1 on, without gaps. */
  readonly number: number;
  /** Area and past tense: `experiment.created`. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An event of one name. */
export interface EventOf<N extends EventName> extends Omit<DomainEvent, 'name' | 'detail'> {
  readonly name: N;
  readonly detail: DomainEvents[N];
}

/**
 * What to do about events, by name; `*` is every event. Called at least once for each, in the order of their numbers for one subject, never
 * within the request that caused them. One that rejects is called again with growing pauses and parked in the end; it holds back only its
 * own later events of that subject.
 */
export type Subscribers = {
  readonly [N in EventName]?: (event: EventOf<N>) => Promise<void>;
} & { readonly '*'?: (event: DomainEvent) => Promise<void> };
