import { Dialog } from './dialog.js';

const keys: readonly (readonly [string, string])[] = [
  ['⌘K', 'find anything by its name'],
  ['/', 'write a query'],
  ['d', 'only parameters that differ'],
  ['l', 'logarithmic values'],
  ['j k', 'to the next run, trace, span or item, and the one before'],
  ['x', 'select the run or trace'],
  ['p', 'it at a glance; Escape closes that'],
  ['o', 'open it'],
  ['f', 'only runs with a value of the run one is at, or without it'],
  ['c', 'compare the selected runs'],
  ['[ ]', 'the step of media before and after'],
  ['t', 'the chart that is pointed at as a table'],
  ['shift + click', 'select all runs up to this one'],
  ['alt + click', 'only runs with the value of this cell; a right click has more'],
  ['drag over a chart', 'zoom in, all charts together; double click: all'],
  ['alt + wheel', 'zoom around the pointer; with shift a drag moves the axis'],
  ['click on a chart', 'keep what is told of the lines there, to read and copy it'],
  ['← →', 'fold the span, and unfold it'],
  ['e', 'to the next span that failed'],
  ['g', 'to the next thing that is worth looking at in a trace'],
  ['1 … 9', 'in a queue: the score of the field one is at'],
  ['↑ ↓', 'in a queue: to the field above and below'],
  ['⏎ s u c', 'in a queue: done and next, skip, undo, comment'],
  ['?', 'this list'],
];

export const Help = ({ onClose }: { onClose: () => void }) => (
  <Dialog label="Keys" onClose={onClose}>
    <h2>Keys</h2>
    <table class="plain">
      <tbody>
        {keys.map(([key, says]) => (
          <tr key={key}>
            <th scope="row">
              <kbd>{key}</kbd>
            </th>
            <td>{says}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <button type="button" onClick={onClose}>
      Close
    </button>
  </Dialog>
);
