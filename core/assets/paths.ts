// Names of files as paths in an archive. Pure.

const segmentsOf = (fileName: string): readonly string[] =>
  fileName
    .replaceAll('\\', '/')
    .split('/')
    .map((segment) => segment.replaceAll(/[\u0000-\u001f\u007f:]/g, '_').trim())
    .filter((segment) => segment !== '' && !/^\.+$/.test(segment));

const bytesOf = (text: string): number =>
  [...text].reduce((sum, letter) => sum + ((letter.codePointAt(0) ?? 0) < 0x80 ? 1 : 4), 0);

/**
 * Makes the paths of an archive: relative ones stay as they are, none leads out of it, and no two are the same, whatever the case. Segments
 * that mean a folder above, drives and controls are taken out.
 */
export const pathMaker = (): ((fileName: string) => string) => {
  const used = new Set<string>();
  return (fileName) => {
    const plain = segmentsOf(fileName).join('/') || 'file';
    const short =
      bytesOf(plain) > 60_000 ? [...plain].slice(-15_000).join('').replace(/^\/+/, '') : plain; // a zip's names are bounded to 65,535 bytes
    let path = short;
    for (let n = 2; used.has(path.toLowerCase()); n++)
      path = short.replace(/(\.[^./]*)?$/, (ending) => ` (${n})${ending}`);
    used.add(path.toLowerCase());
    return path;
  };
};
