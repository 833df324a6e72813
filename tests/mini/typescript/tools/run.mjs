import tools from "./build.cjs";

tools.build();
const { main } = await import("../packages/web/src/main.ts");
main();
