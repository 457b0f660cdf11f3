/** Who changes something. The server has no logins; it writes down the name that this browser was told. */

const KEY = "headwater-user";

export function userName(): string {
  return localStorage.getItem(KEY) ?? "";
}

export function setUserName(name: string): void {
  localStorage.setItem(KEY, name.trim());
}
