// The address by which a client knows the server, as links carry it. Pure.

const alphabet = /^[A-Za-z0-9_+/-]+={0,2}$/;

/** The text that URL-safe or plain base64 stands for; `undefined` for what is neither. */
export const decodeBase64 = (text: string): string | undefined => {
  if (!alphabet.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', ''));
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(binary, (one) => one.charCodeAt(0)),
    );
  } catch {
    return undefined; // no base64, or no text
  }
};
