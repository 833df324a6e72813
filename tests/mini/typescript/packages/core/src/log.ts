import { clamp } from "./math";

export default {
  level: 1,
  write(text: string) {
    return this.format(text);
  },
  format(text: string) {
    return text.slice(clamp(text.length));
  },
};
