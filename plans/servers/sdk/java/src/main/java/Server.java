import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.catalina.startup.Tomcat;

/**
 * The four-tool server on the official Java SDK: Server stdio | Server http PORT. A servlet needs a container; Tomcat is
 * the one that Spring brings.
 */
public class Server {
  record Item(int id, String name, boolean done) {}

  static final McpJsonMapper JSON = McpJsonDefaults.getMapper();

  static SyncToolSpecification tool(String name, String description, String type, List<String> arguments,
      Function<Map<String, Object>, String> answer) {
    // Sorted, because the order of Map.of changes from one start to the next and so would the listing.
    Map<String, Object> properties = new TreeMap<>();
    for (String argument : arguments) properties.put(argument, Map.of("type", type));
    Tool tool = Tool.builder(name, new TreeMap<>(Map.of("type", "object", "properties", properties, "required", arguments)))
        .description(description)
        .annotations(ToolAnnotations.builder().readOnlyHint(true).build())
        .build();
    return SyncToolSpecification.builder()
        .tool(tool)
        .callHandler((exchange, request) -> CallToolResult.builder().addTextContent(answer.apply(request.arguments())).build())
        .build();
  }

  static String list(int n) {
    try {
      return JSON.writeValueAsString(IntStream.range(0, n).mapToObj(i -> new Item(i, "item " + i, false)).toList());
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  static String sleep(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    return "slept " + ms + " ms";
  }

  static BigDecimal number(Object value) {
    return new BigDecimal(value.toString());
  }

  static List<SyncToolSpecification> fourTools() {
    return List.of(
        tool("echo", "Says the message back", "string", List.of("message"), words -> "Echo: " + words.get("message")),
        tool("add", "Adds two numbers", "number", List.of("a", "b"),
            words -> number(words.get("a")).add(number(words.get("b"))).toPlainString()),
        tool("list", "Lists n items", "integer", List.of("n"), words -> list(number(words.get("n")).intValue())),
        tool("sleep", "Sleeps for ms milliseconds", "integer", List.of("ms"),
            words -> sleep(number(words.get("ms")).longValue())));
  }

  static void serveHttp(int port) throws Exception {
    var transport = HttpServletStreamableServerTransportProvider.builder().jsonMapper(JSON).mcpEndpoint("/mcp").build();
    McpServer.sync(transport).serverInfo("sdk-java", "2.1.0").tools(fourTools()).build();
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
    tomcat.setPort(port);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    var context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "mcp", transport).setAsyncSupported(true);
    context.addServletMappingDecoded("/mcp", "mcp");
    tomcat.start();
    tomcat.getServer().await();
  }

  public static void main(String[] words) throws Exception {
    String port = words.length > 1 ? words[1] : System.getenv("PORT");
    if (words.length > 0 && words[0].equals("stdio")) {
      McpServer.sync(new StdioServerTransportProvider(JSON)).serverInfo("sdk-java", "2.1.0").tools(fourTools()).build();
    } else if (words.length > 0 && words[0].equals("http") && port != null) {
      serveHttp(Integer.parseInt(port));
    } else {
      System.err.println("usage: Server stdio | Server http PORT");
      System.exit(2);
    }
  }
}
