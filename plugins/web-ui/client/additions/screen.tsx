// A page of a plugin.
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { additions } from './additions.js';
import { PluginElement } from './element.js';
import { ProjectPages } from './project-pages.js';

export interface OfPage {
  readonly workspace: string;
  readonly project: string | undefined;
  readonly plugin: string;
  readonly page: string;
}

export const PluginScreen = ({ workspace, project, plugin, page }: OfPage) => {
  const found = additions().pages.find(
    (one) =>
      one.plugin === plugin &&
      one.name === page &&
      one.of === (project === undefined ? 'workspace' : 'project'),
  );
  return (
    <main class="page wide">
      <h1>{found?.title ?? page}</h1>
      {project === undefined ? (
        <WorkspaceTabs workspace={workspace} at={`${plugin}/${page}`} />
      ) : (
        <ProjectPages workspace={workspace} project={project} at={`${plugin}/${page}`} />
      )}
      {found === undefined ? (
        <p class="empty">No plugin that takes part has this page.</p>
      ) : (
        <PluginElement {...found} context={{ workspace, project }} />
      )}
    </main>
  );
};
