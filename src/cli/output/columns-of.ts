const PLAIN = /^[\x20-\x7e]*$/;

/** What is two columns wide in a terminal: letters of East Asia in their own or in full width, and emoji. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u;

/** What has no width of its own: marks without a letter, and characters that only steer. */
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

let segmenter: Intl.Segmenter | undefined;

/** How many columns of a terminal a text takes. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter();
  let columns = 0;
  for (const { segment } of segmenter.segment(text)) columns += WIDE.test(segment) ? 2 : NONE.test(segment) ? 0 : 1;
  return columns;
}
