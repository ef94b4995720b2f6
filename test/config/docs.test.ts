import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { readmePath, renew } from '#config/docs';

describe('the README', () => {
  it('holds the tables that the code generates', () => {
    const text = readFileSync(readmePath, 'utf8');

    expect(text === renew(text), 'run npm run docs').to.equal(true);
  });

  it('lists every section in its contents, and links only to sections', () => {
    const text = readFileSync(readmePath, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
    const anchorOf = (title: string) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-');
    const [contents = ''] = text.split('\n## ');
    const parts = [...text.matchAll(/^# (.+)$/gm)].map(([, title = '']) => anchorOf(title));
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);

    expect(headings.length).to.be.greaterThan(15);
    expect(
      headings.filter((title) => !contents.includes(`[${title}](#${anchorOf(title)})`)),
    ).to.deep.equal([]);
    expect(
      links.filter((one) => ![...headings.map(anchorOf), ...parts].includes(one)),
    ).to.deep.equal([]);
  });

  it('links only to files that are there', () => {
    const text = readFileSync(readmePath, 'utf8');
    const files = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map(([, file = '']) => file);

    expect(files).to.include('core/README.md');
    expect(files.filter((file) => !existsSync(join(dirname(readmePath), file)))).to.deep.equal([]);
  });
});
