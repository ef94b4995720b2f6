// A project made by hand, before the first run of it is logged.
import { pathOf } from '../../pure/address.js';
import { mayWrite } from '../request.js';
import { placeServer } from '../settings-server.js';
import { Asks, type Fields } from '../shell/form.js';
import { go } from '../state.js';

export const MakeProject = ({ workspace }: { workspace: string }) => {
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
