import { useLayoutEffect, useRef } from 'preact/hooks';
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

/** For tabs that may be wider than the screen: the one that is looked at is scrolled into sight, again when others come. */
export const useShownTab = (count = 0) => {
  const tabs = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    tabs.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [count]);
  return tabs;
};

/** What a workspace holds, and the pages that plugins add to it. */
export const WorkspaceTabs = ({
  workspace,
  at,
}: {
  workspace: string;
  /** One of its parts, or `plugin/page`. */
  at: string;
}) => {
  const added = additions().pages.filter(({ of }) => of === 'workspace');
  const tabs = useShownTab(added.length);
  return (
    <nav class="tabs" aria-label="Parts of the workspace" ref={tabs}>
      {Object.entries(places).map(([name, path]) => (
        <a
          key={name}
          href={pathOf('w', workspace, ...path)}
          aria-current={name === at ? 'page' : undefined}
        >
          {name}
        </a>
      ))}
      {added.map(({ plugin, name, title }) => (
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
};
