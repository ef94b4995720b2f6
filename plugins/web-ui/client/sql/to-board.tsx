// Keeps a statement as a widget of a board.
import { pathOf } from '../../pure/address.js';
import { addWidget, emptyBoard, membersOf, stamped, widgetTypes } from '../../pure/boards.js';
import { wrapped } from '../../pure/sql.js';
import { asJson, boardsServer, newId } from '../boards-server.js';
import { useLoaded } from '../loading.js';
import { Asks } from '../shell/form.js';
import { go } from '../state.js';
import { Fault } from '../shell/wait.js';

const mostBoards = 100;

const Boards = () => {
  const { value, fault } = useLoaded(
    (signal) => boardsServer.list({ query: { page: 1, size: mostBoards } }, signal),
    [],
  );
  return (
    <>
      <label>
        Board
        <select name="board">
          <option value="">a new one</option>
          {(value?.content ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Fault of={fault} />
    </>
  );
};

export const ToBoard = ({
  workspace,
  statement,
  projectId,
}: {
  workspace: string;
  statement: string;
  projectId: string | undefined;
}) => (
  <Asks
    verb="Keep on a board"
    label="Keep on a board"
    send="Keep it"
    says="The statement is on the board"
    onSend={async (field) => {
      const title = field('title');
      const draft = {
        ...{ type: widgetTypes.query, title },
        config: {
          query: {
            sql: wrapped(statement),
            ...(projectId === undefined ? {} : { projectId }),
          },
          chartType: field('chart'),
        },
      };
      const change = stamped(addWidget(newId(), draft), Date.now());
      const board = field('board');
      const params = { dashboardId: board };
      const { id } =
        board === ''
          ? await boardsServer.create({
              body: {
                name: title,
                config: asJson(change(emptyBoard(newId(), Date.now()))),
              },
            })
          : await boardsServer.update({
              params,
              body: {
                config: asJson(change(membersOf((await boardsServer.show({ params })).config))),
              },
            });
      go(pathOf('w', workspace, 'boards', id));
    }}
  >
    <label>
      Title
      <input name="title" required maxLength={120} autocomplete="off" />
    </label>
    <Boards />
    <label>
      As
      <select name="chart">
        <option value="table">a table</option>
        <option value="line">lines</option>
        <option value="bar">bars</option>
      </select>
    </label>
  </Asks>
);
