/* How is a word of a command written, so that a shell reads it as one? */

/** @param {string} word */
export const quoteWord = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
