import { route } from "./routes";
import { Status } from "@core/model/status";

test("routes", () => {
  route("/", () => Status.parse("open"));
});
