// oxlint-disable-next-line no-control-regex -- control characters are what this finds
const moving = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** One visible character for each: nothing of a foreign text may move the cursor or turn the line around. */
export function makeVisible(text: string): string {
  return text.replace(moving, (character) => (character === '\t' ? ' ' : '\ufffd'))
}
