/** Gives the reader a file. */
export function download(name: string, type: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun by then; the memory is given back.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
