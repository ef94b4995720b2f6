import { pathOf } from '../../pure/address.js';
import { additions } from '../additions/additions.js';

const places = {
  projects: [],
  experiments: ['experiments'],
  optimizations: ['optimizations'],
  datasets: ['datasets'],
  prompts: ['prompts'],
  playground: ['playground'],
  queues: ['queues'],
  evaluators: ['evaluators'],
  alerts: ['alerts'],
  models: ['models'],
  artifacts: ['artifacts'],
  boards: ['boards'],
  sql: ['sql'],
  providers: ['providers'],
  members: ['members'],
  notifications: ['notifications'],
  retention: ['retention'],
} as const;

/** What a workspace holds, and the pages that plugins add to it. */
export const WorkspaceTabs = ({
  workspace,
  at,
}: {
  workspace: string;
  /** One of its parts, or `plugin/page`. */
  at: string;
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
    {additions()
      .pages.filter(({ of }) => of === 'workspace')
      .map(({ plugin, name, title }) => (
        <a
          key={`${plugin}/${name}`}
          href={pathOf('w', workspace, 'x', plugin, name)}
          aria-current={at === `${plugin}/${name}` ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
  </nav>
);
