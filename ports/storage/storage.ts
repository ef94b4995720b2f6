import { port } from '../port.js';
import type { ArtifactStore } from './artifacts.js';
import type { ApprovalStore } from './approvals.js';
import type { AssetStore } from './assets.js';
import type { AttemptStore } from './attempts.js';
import type { AuditStore } from './audit.js';
import type { ChannelStore } from './channels.js';
import type { DeliveryStore } from './deliveries.js';
import type { DocumentStore } from './documents.js';
import type { EventStore } from './events.js';
import type { ExperimentStore } from './experiments.js';
import type { IdentityStore } from './identity.js';
import type { LeaseStore } from './leases.js';
import type { MetricStore } from './metrics.js';
import type { OptimizerStore } from './optimizers.js';
import type { PanelStore } from './panels.js';
import type { ProjectStore } from './projects.js';
import type { RegistryStore } from './registry.js';
import type { TextStore } from './texts.js';
import type { UsageStore } from './usage.js';
import type { ValueStore } from './values.js';
import type { RpcStore } from './rpc.js';
import type { SearchStore } from './search.js';
import type { SessionStore } from './sessions.js';
import type { ViewStore } from './views.js';
import type { TicketStore } from './tickets.js';
import type { ToggleStore } from './toggles.js';
import type { WorkspaceStore } from './workspaces.js';

/** One small store per aggregate. */
export interface Stores {
  readonly identity: IdentityStore;
  readonly sessions: SessionStore;
  readonly tickets: TicketStore;
  readonly attempts: AttemptStore;
  readonly audit: AuditStore;
  readonly usage: UsageStore;
  readonly workspaces: WorkspaceStore;
  readonly projects: ProjectStore;
  readonly experiments: ExperimentStore;
  readonly metrics: MetricStore;
  readonly leases: LeaseStore;
  readonly events: EventStore;
  readonly toggles: ToggleStore;
  readonly assets: AssetStore;
  readonly artifacts: ArtifactStore;
  readonly values: ValueStore;
  readonly texts: TextStore;
  readonly documents: DocumentStore;
  readonly search: SearchStore;
  readonly rpc: RpcStore;
  readonly views: ViewStore;
  readonly panels: PanelStore;
  readonly optimizers: OptimizerStore;
  readonly registry: RegistryStore;
  readonly approvals: ApprovalStore;
  readonly channels: ChannelStore;
  readonly deliveries: DeliveryStore;
}

export interface Storage {
  readonly stores: Stores;
  /**
   * Runs `work` in one transaction: all of it is stored or nothing. Inside, touch only the stores handed in, and nothing that cannot be
   * repeated: `work` runs again, at most five times, when the database asks for it (deadlock, serialisation, lost connection before commit).
   */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  /** Resolves when the database answers; rejects with `unavailable` and the reason in one sentence. */
  check(): Promise<void>;
  /** The database's own time in ms, for what must be compared across processes. */
  now(): Promise<number>;
  /** Waits for what is being written, then closes every connection. */
  close(): Promise<void>;
}
export const Storage = port<Storage>('storage');
