// The tabs of a project.
import { pathOf } from '../../pure/address.js';
import { useShownTab } from '../shell/workspace-tabs.js';
import { additions } from './additions.js';

/** Lists of the workspace, which are narrowed to the project. */
const ofWorkspace = ['experiments', 'boards', 'queues', 'evaluators', 'alerts'] as const;

/** The parts of a project: its runs, traces and threads, what it is about, and the pages that plugins add to it. */
export const ProjectPages = ({
  workspace,
  project,
  at,
}: {
  workspace: string;
  project: string;
  at: string;
}) => {
  const pages = additions().pages.filter(({ of }) => of === 'project');
  const base = ['w', workspace, 'p', project];
  const tabs = useShownTab(pages.length);
  return (
    <nav class="tabs" aria-label="Parts of the project" ref={tabs}>
      <a href={pathOf(...base, 'runs')} aria-current={at === 'runs' ? 'page' : undefined}>
        runs
      </a>
      <a href={pathOf(...base, 'seeds')} aria-current={at === 'seeds' ? 'page' : undefined}>
        seeds
      </a>
      <a href={pathOf(...base, 'traces')} aria-current={at === 'traces' ? 'page' : undefined}>
        traces
      </a>
      <a href={pathOf(...base, 'threads')} aria-current={at === 'threads' ? 'page' : undefined}>
        threads
      </a>
      <a href={pathOf(...base, 'insights')} aria-current={at === 'insights' ? 'page' : undefined}>
        insights
      </a>
      {ofWorkspace.map((name) => (
        <a
          key={name}
          href={`${pathOf('w', workspace, name)}?project=${encodeURIComponent(project)}`}
        >
          {name}
        </a>
      ))}
      <a href={pathOf(...base, 'about')} aria-current={at === 'about' ? 'page' : undefined}>
        about
      </a>
      {pages.map(({ plugin, name, title }) => (
        <a
          key={`${plugin}/${name}`}
          href={pathOf(...base, 'x', plugin, name)}
          aria-current={at === `${plugin}/${name}` ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
};
