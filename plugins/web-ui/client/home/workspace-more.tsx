// What the page of a workspace has beside its projects: a project made by hand, before the first run of it is logged; and where an anchor leads.
import { useEffect } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { additions } from '../additions/additions.js';
import { mayWrite } from '../request.js';
import { placeServer } from '../settings-server.js';
import { Asks, type Fields } from '../shell/form.js';
import { go } from '../state.js';

const MakeProject = ({ workspace }: { workspace: string }) => {
  const make = async (field: Fields) => {
    const projectName = field('name');
    const description = field('description');
    await placeServer.createProject({
      body: {
        workspaceName: workspace,
        projectName,
        ...(description === '' ? {} : { projectDescription: description }),
      },
    });
    go(pathOf('w', workspace, 'p', projectName, 'runs'));
  };
  return mayWrite.value ? (
    <p class="controls">
      <Asks verb="Make a project" label="Make a project" says="The project is made" onSend={make}>
        <label>
          Name
          <input name="name" required maxLength={100} />
        </label>
        <label>
          What it is about
          <input name="description" maxLength={1000} />
        </label>
      </Asks>
    </p>
  ) : null;
};

/** Links that clients print may mean a page of a plugin by what stands behind `#`. */
const useAnchor = (workspace: string): void => {
  const named = location.hash.slice(1);
  const page = additions().pages.find(({ anchor }) => named !== '' && anchor === named);
  useEffect(() => {
    if (page === undefined) return;
    // So that whoever goes back comes to the workspace, and not here again.
    history.replaceState(history.state, '', location.pathname + location.search);
    go(pathOf('w', workspace, 'x', page.plugin, page.name));
  }, [page]);
};

export const WorkspaceMore = ({ workspace }: { workspace: string }) => {
  useAnchor(workspace);
  return <MakeProject workspace={workspace} />;
};
