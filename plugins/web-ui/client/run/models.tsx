// The models that a run logged, and registering one of them.
import { pathOf } from '../../pure/address.js';
import { useLoaded } from '../loading.js';
import { mayWrite } from '../request.js';
import { registryServer, runServer } from '../server.js';
import { Asks, type Fields } from '../shell/form.js';
import { go } from '../state.js';
import { Wait } from './wait.js';

const Register = ({ run, name, workspace }: { run: string; name: string; workspace: string }) => {
  const register = async (field: Fields) => {
    const [registryModelName, version, comment] = ['name', 'version', 'comment'].map(field);
    if (registryModelName === undefined) return;
    await registryServer.register({
      body: {
        experimentKey: run,
        experimentModelName: name,
        registryModelName,
        ...(version === undefined || version === '' ? {} : { version }),
        ...(comment === undefined || comment === '' ? {} : { versionComment: comment }),
      },
    });
    go(pathOf('w', workspace, 'model', registryModelName));
  };
  return (
    <Asks
      verb="Register"
      label={`Register ${name}`}
      says="The model is registered"
      onSend={register}
    >
      <label>
        As the model
        <input name="name" required maxLength={200} defaultValue={name} />
      </label>
      <label>
        Version; the next one without it
        <input name="version" maxLength={50} placeholder="1.0.0" />
      </label>
      <label>
        What is worth knowing about it
        <input name="comment" maxLength={1000} />
      </label>
    </Asks>
  );
};

export const RunModels = ({ run, workspace }: { run: string; workspace: string }) => {
  const found = useLoaded(
    (signal) => runServer.listModels({ query: { experimentKey: run } }, signal),
    [run],
  );
  if (found.value === undefined) return <Wait of={found} />;
  const { models } = found.value;
  if (models.length === 0) return <p class="empty">This run logged no model.</p>;
  return (
    <table class="plain">
      <tbody>
        {models.map(({ experimentModelId, modelName: name, registryRecords }) => (
          <tr key={experimentModelId}>
            <td>{name}</td>
            <td>
              {registryRecords.map((one) => (
                <a
                  key={one.registryModelItemId}
                  href={pathOf('w', workspace, 'model', one.registryModelName, one.version)}
                >
                  {one.registryModelName} {one.version}{' '}
                </a>
              ))}
            </td>
            <td class="does">
              {mayWrite.value ? <Register run={run} name={name} workspace={workspace} /> : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
