// The script of a report: it shows what stands in its own file, and asks for nothing.
import { readReport, reportId } from '../../pure/report.js';
import { showReport } from './show.js';

const root = document.getElementById('report');
const held = readReport(document.getElementById(reportId)?.textContent ?? '');
if (root !== null) {
  if ('fault' in held) root.textContent = held.fault;
  else showReport(root, held);
}
