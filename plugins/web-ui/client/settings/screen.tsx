// What belongs to who signed in, and, to administrators, what belongs to the installation.
import type { ComponentType } from 'preact';
import { pathOf } from '../../pure/address.js';
import { lazy } from '../lazy.js';
import { session } from '../request.js';
import { Account } from './account.js';
import { Audit } from './audit.js';
import { InForce } from './in-force.js';
import { Jobs } from './jobs.js';
import { Keys } from './keys.js';
import { Programs } from './programs.js';
import { ServiceAccounts } from './service-accounts.js';
import { Statuses } from './statuses.js';
import { Upkeep } from './upkeep.js';
import { Usage } from './usage.js';
import { Users } from './users.js';
import { Workspaces } from './workspaces.js';
import { useShownTab } from '../shell/workspace-tabs.js';

const OpenReport = lazy<object>(async () => (await import('../report/open.js')).OpenReport);

interface Part {
  readonly title: string;
  readonly shown: ComponentType;
}
const own: Readonly<Record<string, Part>> = {
  account: { title: 'account', shown: Account },
  keys: { title: 'API keys', shown: Keys },
  programs: { title: 'connected programs', shown: Programs },
  report: { title: 'open a report', shown: OpenReport },
};
const installation: Readonly<Record<string, Part>> = {
  users: { title: 'users', shown: Users },
  workspaces: { title: 'workspaces', shown: Workspaces },
  'service-accounts': { title: 'service accounts', shown: ServiceAccounts },
  statuses: { title: 'model statuses', shown: Statuses },
  audit: { title: 'audit log', shown: Audit },
  usage: { title: 'usage', shown: Usage },
  'in-force': { title: 'settings and toggles', shown: InForce },
  jobs: { title: 'background jobs', shown: Jobs },
  upkeep: { title: 'checks and export', shown: Upkeep },
};

export const SettingsScreen = ({ part }: { part: string }) => {
  const parts = session.value?.admin === true ? { ...own, ...installation } : own;
  const found = Object.hasOwn(parts, part) ? parts[part] : undefined;
  const shownTab = useShownTab();
  return (
    <main class="page">
      <h1>Settings</h1>
      <nav class="tabs" aria-label="Parts of the settings" ref={shownTab}>
        {Object.entries(parts).map(([name, { title }]) => (
          <a
            key={name}
            href={pathOf('settings', name)}
            aria-current={name === part ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {found !== undefined ? (
        <found.shown key={part} />
      ) : (
        <p class="empty">
          {Object.hasOwn(installation, part)
            ? 'Only administrators of the installation see this.'
            : 'There is nothing here.'}
        </p>
      )}
    </main>
  );
};
