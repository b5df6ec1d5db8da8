// Reads all orders with a Java client of openapi-generator.

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.OrdersApi;
import org.openapitools.client.api.OrdersApi.APIListOrdersRequest;
import org.openapitools.client.model.Order;
import org.openapitools.client.model.OrderList;

public class ReadOrders {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("BASE_URL"));
        client.setRequestInterceptor(request -> request.header("x-api-key", System.getenv("STORE_EXPORT_KEY")));
        OrdersApi orders = new OrdersApi(client);
        Set<UUID> ids = new HashSet<>();
        int guests = 0;
        int waits = 0;
        APIListOrdersRequest.Builder request = APIListOrdersRequest.newBuilder().limit(100);
        while (true) {
            OrderList page;
            try {
                page = orders.listOrders(request.build());
            } catch (ApiException error) {
                if (error.getCode() != 429) throw error;
                waits++;
                Thread.sleep(1000 * error.getResponseHeaders().firstValueAsLong("retry-after").orElseThrow());
                continue;
            }
            for (Order order : page.getData()) {
                ids.add(order.getId());
                if (order.getCustomerId() == null) guests++;
            }
            if (page.getMeta().getNextCursor() == null) break;
            request.cursor(page.getMeta().getNextCursor());
        }
        System.out.printf("{\"orders\":%d,\"guests\":%d,\"waits\":%d}%n", ids.size(), guests, waits);
    }
}
