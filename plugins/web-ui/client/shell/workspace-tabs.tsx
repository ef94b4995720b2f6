import { pathOf } from '../../pure/address.js';

const places = {
  projects: [],
  models: ['models'],
  artifacts: ['artifacts'],
  members: ['members'],
  notifications: ['notifications'],
} as const;

/** What a workspace holds. */
export const WorkspaceTabs = ({
  workspace,
  at,
}: {
  workspace: string;
  at: keyof typeof places;
}) => (
  <nav class="tabs" aria-label="Parts of the workspace">
    {Object.entries(places).map(([name, path]) => (
      <a
        key={name}
        href={pathOf('w', workspace, ...path)}
        aria-current={name === at ? 'page' : undefined}
      >
        {name}
      </a>
    ))}
  </nav>
);
